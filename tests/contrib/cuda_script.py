"""A training script as people write it for CUDA; test_transfer_to_npu.py runs it unchanged, and with every "cuda" made "npu"."""

import io
import json

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

assert torch.cuda.is_available()
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
torch.cuda.set_device(device)
torch.manual_seed(0)
torch.cuda.manual_seed_all(1)
torch.cuda.reset_peak_memory_stats()

model = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1), nn.Linear(288, 4)).cuda()
weight = torch.ones(4, device="cuda")
criterion = nn.CrossEntropyLoss(weight=weight).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scaler = torch.cuda.amp.GradScaler()
data = TensorDataset(torch.randn(64, 1, 8, 8), torch.randint(4, (64,)))
loader = DataLoader(data, batch_size=16, pin_memory=True, pin_memory_device="cuda")

losses = []
side = torch.cuda.Stream()
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
for _ in range(3):
    for images, labels in loader:
        assert images.is_pinned()
        images, labels = images.cuda(non_blocking=True), labels.to("cuda", non_blocking=True)
        images += 0.1 * torch.randn(images.shape, device=device)
        optimizer.zero_grad()
        with torch.cuda.amp.autocast():
            loss = criterion(model(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
end.record()
torch.cuda.synchronize()

side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side), torch.no_grad():
    total = sum(p.double().abs().sum() for p in model.parameters())
torch.cuda.current_stream().wait_stream(side)

file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
model.load_state_dict(torch.load(file, map_location="cuda:0"))
model.eval()
generator = torch.Generator(device="cuda").manual_seed(5)
with torch.no_grad(), torch.autocast(device_type="cuda", dtype=torch.bfloat16):
    output = model(torch.rand(2, 1, 8, 8, generator=generator, device="cuda"))
assert output.is_cuda and begin.elapsed_time(end) >= 0

print(
    json.dumps(
        {
            "device": str(output.device),
            "dtype": str(output.dtype),
            "losses": losses,
            "total": total.item(),
            "output": output.float().tolist(),
            "allocated": torch.cuda.memory_allocated() > 0 and torch.cuda.max_memory_allocated("cuda:0") > 0,
            "name": torch.cuda.get_device_name(0),
        }
    )
)
